import { ownProgram } from '../guard'

/** Our own program as a host of an engine; its name and its options follow. */
export const hostCommand = (): string[] => [...ownProgram(), 'engine-host']
