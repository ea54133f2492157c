/** No function of a model asks how many arguments it was given. */
export const countsArguments = (): boolean => false;
