/** No model asks for statistics, or looks for stalls. */
export class Overview {}
