/** What the page says about itself: the chips of its head, the notice, and the progress of loading. */
import { whole } from '../../flights/words.js';
import { element } from './view/page.js';

export type Mood = 'good' | 'warn' | 'bad' | 'neutral';

export function chip(id: 'threads' | 'loaded' | 'equal', text: string, mood: Mood): void {
  const found = element(`#${id}`);
  found.hidden = false;
  found.className = `chip ${mood}`;
  found.textContent = text;
}

export function notice(text: string, mood: 'warn' | 'bad'): void {
  const found = element('#notice');
  found.hidden = false;
  found.className = `notice ${mood}`;
  found.textContent = text;
}

const STEPS = { fetch: 'Fetching 13 MB', decode: 'Decoding' } as const;

export function progress(step: keyof typeof STEPS, share: number): void {
  element('#progress-text').textContent = `${STEPS[step]}: ${whole(100 * share)} %`;
  element('#progress-bar').style.width = `${100 * share}%`;
}

export function progressDone(): void {
  element('#progress').hidden = true;
  element('#main').setAttribute('aria-busy', 'false');
}
