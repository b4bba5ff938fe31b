import { dirname, join } from 'node:path'
import { t } from 'elysia'
import { AppError } from '#kernel/errors'
import { Nullable } from '#kernel/http/shapes'
import { MODALITIES } from '../models/schema'
import { type Found, SourceFile } from './found'
import type { Choice } from './variants'

const PlannedFile = t.Composite([
  SourceFile,
  t.Object({
    /** Where it is put, below the folder of the repository. */
    to: t.String(),
    /** What the source called the bytes that are here already. */
    etag: Nullable(t.String()),
    /** All its bytes are here, and they are the right ones. */
    verified: t.Boolean(),
  }),
])
export type PlannedFile = typeof PlannedFile.static

/** What a job downloads, and what is registered of it. */
export const Plan = t.Object({
  revision: t.String(),
  modality: t.UnionEnum(MODALITIES),
  /** Below the folder of models. */
  folder: t.String(),
  /** What an engine is given, below `folder`; empty for the folder itself. */
  model: t.String(),
  files: t.Array(PlannedFile),
})
export type Plan = typeof Plan.static

/** @throws {AppError} `catalog_error` for a file whose path leads elsewhere */
export function planOf(found: Found, choice: Choice): Plan {
  const [weights] = choice.files
  return {
    revision: found.revision ?? 'main',
    modality: choice.modality,
    folder: folderOf(found.repo),
    model: choice.id,
    files: choice.files.map((file): PlannedFile => {
      if (!isSafePath(file.path))
        throw new AppError('catalog_error', `${found.repo} holds a file with an impossible path.`)
      // A projector is looked for beside the weights.
      const isBeside = choice.engine === 'llamacpp' && file !== weights
      const to = isBeside ? join(dirname(choice.id), file.path.split('/').at(-1)!) : file.path
      return { ...file, to: to.replaceAll('\\', '/'), etag: null, verified: false }
    }),
  }
}

/** `null` where a file's size is not known. */
export const totalBytes = ({ files }: Plan): number | null =>
  files.some(({ size }) => size === null) ? null : files.reduce((sum, { size }) => sum + size!, 0)

/** One folder per repository (interface, 10.7). */
const folderOf = (repo: string): string => repo.replace(/[^A-Za-z0-9._-]/g, '_')

const isSafePath = (path: string): boolean =>
  path.length <= 1000 &&
  !/[\\:\p{Cc}]/u.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
