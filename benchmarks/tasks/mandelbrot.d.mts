export declare function mandelbrotRow(image: Int32Array, width: number, height: number, y: number): void;
