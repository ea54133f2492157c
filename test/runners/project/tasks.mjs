import * as furcate from 'furcate';
import { define } from './define.ts';

export default define(import.meta.url, furcate);
