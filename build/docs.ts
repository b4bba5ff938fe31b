import { SETTING_KEYS, SETTINGS } from '../src/control/settings/catalog'
import type { Setting } from '../src/control/settings/kinds'
import { readEnv, VARIABLES } from '../src/kernel/env'

/** Writes the pages that repeat the program's own tables; `--check` tells whether they still agree. */
async function main(check: boolean) {
  const pages = { 'docs/environment.md': environmentPage(), 'docs/settings.md': settingsPage() }
  const stale: string[] = []
  for (const [path, text] of Object.entries(pages)) {
    const file = Bun.file(path)
    if ((await file.exists()) && (await file.text()) === text) continue
    stale.push(path)
    if (!check) await file.write(text)
  }
  if (check && stale.length > 0) {
    console.error(
      `${stale.join(' and ')} no longer say what the code says: run \`node build/bun.mjs build/docs.ts\`.`,
    )
    process.exit(1)
  }
}

function environmentPage(): string {
  const rows = Object.entries(VARIABLES).map(([name, { type, fallback, help }]) => [
    `\`${name}\``,
    type,
    fallback,
    help,
  ])
  return page('Environment variables', [
    'Everything Tycho reads from its environment. A variable that is empty counts as unset. A value that cannot be used stops the start, with one message that names every such variable.',
    table(['Variable', 'Value', 'Default', 'Meaning'], rows),
  ])
}

function settingsPage(): string {
  const rows = SETTING_KEYS.map((key) => {
    const setting: Setting = SETTINGS[key]
    return [
      `\`${key}\``,
      defaultOf(setting),
      setting.expected,
      environmentOf(setting),
      APPLIES[setting.apply],
      setting.description,
    ]
  })
  return page('Settings', [
    'An administrator changes these under Settings, or with `PATCH /settings` and an object of key and value; `null` resets a key. All of a change is stored, or nothing. Other processes follow within about 15 seconds.',
    'A value comes from the environment, then from what is stored, then from the default. A variable that *pins* locks its setting; one that *caps* is the most it may be set to, and its value when nothing is stored. A stored value that is not valid any more is ignored: the default counts, and Settings shows it.',
    table(['Key', 'Default', 'Must be', 'Environment', 'Applies', 'Meaning'], rows),
  ])
}

const APPLIES: Record<Setting['apply'], string> = {
  live: 'at once',
  next_run: 'from the next run',
  next_sign_in: 'from the next sign-in',
  next_ingest: 'from the next ingest',
}

function defaultOf(setting: Setting): string {
  if (setting.defaultText) return setting.defaultText
  const value = setting.default({ env: readEnv({}), baseUrl: '{base_url}' })
  if (value === null) return 'unset'
  if (Array.isArray(value)) return 'none'
  return `\`${value}\``
}

const environmentOf = ({ environment }: Setting): string =>
  environment ? `\`${environment.variable}\` (${environment.rule})` : 'none'

const page = (title: string, paragraphs: string[]): string =>
  `${[`# ${title}`, '<!-- Written by build/docs.ts from the tables in the code. -->', ...paragraphs].join('\n\n')}\n`

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(escapePipes).join(' | ')} |`)
    .join('\n')

const escapePipes = (cell: string): string => cell.replaceAll('|', '\\|')

await main(Bun.argv.includes('--check'))
