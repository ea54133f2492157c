export interface Crunchable {
  readonly id: number;
  readonly name: string;
  readonly rounds: number;
}
export declare const crunch: (value: Crunchable) => { readonly id: number; readonly odd: boolean };
