// Runs the scenario that the page is opened for, tells its result, and opens the next page.
import { scenarios } from './scenarios.mjs';

const name = new URLSearchParams(location.search).get('scenario');
const post = async (path, value) => (await fetch(path, { method: 'POST', body: JSON.stringify(value) })).text();

const loose = [];
addEventListener('error', ({ message }) => loose.push(message));
addEventListener('unhandledrejection', ({ reason }) => loose.push(String(reason)));

let result;
try {
  result = { value: await scenarios[name]() };
} catch (error) {
  result = { thrown: `${error.name}: ${error.message}\n${error.stack}` };
}
location.href = await post('/result', { name, ...result, loose });
