import type { EngineName } from '#engines/engine'
import { fitOf } from './fit'
import { enginesOf, type Found, modalityOf } from './found'
import type { CatalogEntry, Variant } from './schema'
import { type Choice, choicesOf, qualityOf, sizeOf } from './variants'

interface Here {
  provider: string
  /** Memory of this machine. */
  memoryBytes: number
  /** The logical id that it is installed as. */
  installedAs: string | null
}

/** A repository as the list shows it. */
export function entryOf(found: Found, { provider, installedAs }: Here): CatalogEntry {
  const { repo, task, downloads, likes, license, gated, updatedAt, reasoning, toolCalling, maxContext } =
    found
  const modality = modalityOf(task)
  return {
    provider,
    ref: repo,
    title: repo.split('/').at(-1)!,
    description: descriptionOf(found),
    category: 'models',
    kind: 'model',
    sovereignty: 'in-domain',
    engines: enginesOf(found),
    modality,
    badges: { downloads, likes, pipelineTag: task },
    params: found.params === null ? null : paramsText(found.params),
    license,
    gated,
    updatedAt,
    reasoning,
    toolCalling,
    vision: modality === 'vision',
    maxContext,
    installed: installedAs !== null,
    installedAs,
    variants: [],
  }
}

/** What can be installed of it, the smallest first; the one to take is the largest that fits, else the smallest. */
export function variantsOf(found: Found, { memoryBytes }: Here): Variant[] {
  const choices = choicesOf(found).filter(({ complete }) => complete)
  const fits = choices.map((choice) => fitOf(sizeOf(choice), memoryBytes, contextOf(found, choice)))
  const recommended = Math.max(
    0,
    fits.findLastIndex(({ fit }) => fit === 'fits'),
  )
  return choices.map((choice, at) => {
    const { id, label, engine, modality, files } = choice
    const context = contextOf(found, choice)
    return {
      id,
      label,
      engine,
      modality,
      filename: id === '' ? found.repo : files[0]!.path.split('/').at(-1)!,
      sizeBytes: sizeOf(choice),
      ...fits[at]!,
      recommended: at === recommended,
      quality: qualityOf(label),
      contextBytes: context?.bytes ?? null,
      contextTokens: context?.tokens ?? null,
    }
  })
}

/** The header that was read is of a file for llama.cpp. */
const contextOf = ({ context }: Found, { engine }: { engine: EngineName } & Choice) =>
  engine === 'llamacpp' ? context : null

function descriptionOf({ repo, task, basedOn }: Found): string {
  const what =
    task === null ? 'Model' : `${task.charAt(0).toUpperCase()}${task.slice(1).replaceAll('-', ' ')}`
  const owner = repo.includes('/') ? ` by ${repo.split('/')[0]}` : ''
  return `${what}${owner}${basedOn === null ? '' : `, made from ${basedOn}`}`
}

/** `7B`, `1.5B`, `350M`. */
function paramsText(params: number): string {
  const [value, unit] = params >= 1e9 ? [params / 1e9, 'B'] : [params / 1e6, 'M']
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)}${unit}`
}
