import { hostOptions } from './options'

/**
 * `tycho engine-host llamacpp|whispercpp …`: an engine that is part of Tycho, in a process of its own that a crash of
 * native code may take, behind the HTTP of the engine's own server. Its guard ends it when Tycho is gone.
 */
export async function runHost([engine, ...args]: string[]): Promise<void> {
  try {
    const options = hostOptions(args)
    const host = await hostOf(engine)
    if (options.version) {
      process.stdout.write(`version: ${await host.version(options)}\n`)
      process.exit(0)
    }
    await host.serve(options)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
}

async function hostOf(engine: string | undefined) {
  switch (engine) {
    case 'llamacpp':
      return await import('./llama/host')
    case 'whispercpp':
      return await import('./whisper/host')
    default:
      throw new Error(`engine-host knows llamacpp and whispercpp, not ${engine}.`)
  }
}
