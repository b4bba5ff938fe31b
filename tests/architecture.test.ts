import { expect, test } from 'bun:test'
import { dirname, join, normalize } from 'node:path'

/** Who may import whom at run time. `import type` is free: types cross planes, code does not. */
const MAY_IMPORT: Record<string, string[]> = {
  'src/kernel': ['migrations'],
  'src/graph': ['src/kernel'],
  engines: ['src/kernel'],
  'src/control': ['src/kernel', 'src/graph'],
  'src/inference': ['src/kernel', 'engines'],
  'src/gateway': ['src/kernel'],
  'src/interface': ['src/kernel'],
  ui: ['src/graph'],
  migrations: [],
}
/** The graph runs in the browser too, so it may use only what needs neither Bun nor a database. */
const BROWSER_SAFE = ['src/kernel/errors', 'src/kernel/json']
const ALIASES: Record<string, string> = {
  '#kernel/': 'src/kernel/',
  '#graph/': 'src/graph/',
  '#engines/': 'engines/',
}

const layerOf = (file: string) =>
  Object.keys(MAY_IMPORT).find((layer) => file.startsWith(`${layer}/`) || file === layer)

test('imports follow the arrows', async () => {
  const broken: string[] = []
  for await (const file of new Bun.Glob('{src,engines,ui,migrations}/**/*.{ts,tsx}').scan('.')) {
    const layer = layerOf(file)
    if (!layer || file.endsWith('.d.ts')) continue
    for (const target of await importsOf(file)) {
      const other = layerOf(target)
      const allowed = !other || other === layer || MAY_IMPORT[layer]!.includes(other)
      const safe = layer !== 'src/graph' || other !== 'src/kernel' || BROWSER_SAFE.includes(target)
      if (!allowed || !safe) broken.push(`${file} → ${target}`)
    }
  }
  expect(broken).toEqual([])
})

test('only kernel/env.ts reads the environment', async () => {
  const readers: string[] = []
  for await (const file of new Bun.Glob('{src,engines,migrations}/**/*.ts').scan('.')) {
    if (/\b(Bun|process)\.env\b/.test(await Bun.file(file).text())) readers.push(file)
  }
  expect(readers).toEqual(['src/kernel/env.ts'])
})

async function importsOf(file: string): Promise<string[]> {
  const transpiler = new Bun.Transpiler({ loader: file.endsWith('x') ? 'tsx' : 'ts' })
  const source = await Bun.file(file).text()
  return transpiler.scanImports(source).flatMap(({ path }) => {
    const alias = Object.keys(ALIASES).find((prefix) => path.startsWith(prefix))
    if (alias) return [ALIASES[alias] + path.slice(alias.length)]
    return path.startsWith('.') ? [normalize(join(dirname(file), path))] : []
  })
}
