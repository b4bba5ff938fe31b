/** Where node-llama-cpp finds its libraries in the executable; `build/natives.ts` makes it ask here. */
export const bins = { folder: '', version: '' }
