import * as furcate from 'furcate';
import define from './define.cjs';

export default define(import.meta.url, furcate);
