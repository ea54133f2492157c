/** A canvas as large as its element, in CSS pixels, whatever the screen's resolution is. */
export class Surface {
  readonly element: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  width = 0;
  height = 0;
  readonly #onResize: () => void;

  /** @param onResize called whenever the canvas has a new size, and is empty */
  constructor(element: HTMLCanvasElement, onResize: () => void) {
    this.element = element;
    this.context = element.getContext('2d') as CanvasRenderingContext2D;
    this.#onResize = onResize;
    new ResizeObserver(() => this.#fit()).observe(element);
    this.#measure();
  }

  clear(): void {
    this.context.clearRect(0, 0, this.width, this.height);
  }

  #fit(): void {
    if (this.#measure()) this.#onResize();
  }

  /** Whether the size has changed. */
  #measure(): boolean {
    const { clientWidth, clientHeight } = this.element;
    const scale = window.devicePixelRatio;
    const [width, height] = [Math.round(clientWidth * scale), Math.round(clientHeight * scale)];
    if (this.element.width === width && this.element.height === height && this.width === clientWidth) return false;
    this.element.width = width;
    this.element.height = height;
    this.width = clientWidth;
    this.height = clientHeight;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    return true;
  }
}
