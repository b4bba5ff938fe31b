import { suggestId } from '../registries/registration'

/** A logical id for a download: the repository's name, and more only as far as it takes to be free. */
export function proposeId({ ref, label }: { ref: string; label: string }, taken: readonly string[]): string {
  const base = suggestId(ref).replace(/[-_.](gguf|ggml|mlx)$/, '')
  const withLabel = `${base}-${suggestId(label)}`
  const free = [base, withLabel].find((id) => !taken.includes(id))
  if (free) return free
  for (let number = 2; ; number++) {
    if (!taken.includes(`${withLabel}-${number}`)) return `${withLabel}-${number}`
  }
}
