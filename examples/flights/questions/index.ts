/** All questions, in order. */
import { byDistanceQuestion } from './by-distance.js';
import { delayHistogramQuestion } from './delay-histogram.js';
import { distanceBandsQuestion } from './distance-bands.js';
import { emissionsQuestion } from './emissions.js';
import { latestAndEarliestQuestion } from './latest-and-earliest.js';
import type { Material, Question } from './question.js';
import { summaryQuestion } from './summary.js';

export function allQuestions(material: Material) {
  return {
    summary: summaryQuestion(material),
    delayHistogram: delayHistogramQuestion(material),
    latestAndEarliest: latestAndEarliestQuestion(material),
    byDistance: byDistanceQuestion(material),
    distanceBands: distanceBandsQuestion(material),
    emissions: emissionsQuestion(material),
  } satisfies Record<string, Question<unknown>>;
}
