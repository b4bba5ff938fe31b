import foundation from './0001_foundation.sql' with { type: 'text' }

/** In order. A listed file is part of the executable; a test fails when a file of this folder is not listed. */
export const migrations: Record<string, string> = {
  '0001_foundation': foundation,
}
