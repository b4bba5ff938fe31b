import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { boundedJsonFile } from './bounded'
import { declaredCapabilities, showsThinking } from './capabilities'
import type { Capabilities, Machine, ManagedRegistration, Modality } from './engine'
import { localPath } from './weights'

/** A tokenizer's settings hold the chat template; the vocabulary is in another file. */
const MAX_CONFIG_BYTES = 16 * 1024 * 1024
const TOOL_MARKS = /\btools\b|tool_call/

interface Config {
  max_position_embeddings?: unknown
  vision_config?: unknown
  text_config?: { max_position_embeddings?: unknown }
}

/** What the files of an MLX model say of it: nothing of this was tried, so all of it is approximate. */
export async function declaredByConfig(
  registration: ManagedRegistration,
  modality: Modality,
  machine: Machine,
): Promise<Capabilities> {
  const speaks = modality === 'chat' || modality === 'vision'
  const folder = speaks ? await folderOf(registration, machine) : null
  const config = (folder &&
    (await boundedJsonFile(join(folder, 'config.json'), MAX_CONFIG_BYTES))) as Config | null
  const template = folder ? await templateIn(folder) : ''
  const context = config?.max_position_embeddings ?? config?.text_config?.max_position_embeddings
  return {
    ...declaredCapabilities(modality),
    toolCalling: TOOL_MARKS.test(template),
    reasoning: showsThinking(template),
    maxContext: typeof context === 'number' ? Math.trunc(context) : null,
  }
}

/** Where the model's files are; `null` when the hub's cache does not have them yet. */
async function folderOf(registration: ManagedRegistration, { hfHome }: Machine): Promise<string | null> {
  if (registration.source === 'local-path') return localPath(registration)
  const repository = `models--${registration.model.replaceAll('/', '--')}`
  const snapshots = join(hfHome, 'hub', repository, 'snapshots')
  const names = await readdir(snapshots).catch(() => [])
  return names[0] === undefined ? null : join(snapshots, names[0])
}

async function templateIn(folder: string): Promise<string> {
  const file = Bun.file(join(folder, 'chat_template.jinja'))
  if ((await file.exists()) && file.size <= MAX_CONFIG_BYTES) return await file.text()
  const config = (await boundedJsonFile(join(folder, 'tokenizer_config.json'), MAX_CONFIG_BYTES)) as {
    chat_template?: unknown
  } | null
  // One template, or a list of named ones.
  return config?.chat_template === undefined ? '' : JSON.stringify(config.chat_template)
}
