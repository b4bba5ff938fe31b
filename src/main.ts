import { runGuard } from '#engines/guard'

const args = Bun.argv.slice(2)
if (args[0] === 'engine-guard') {
  // A guard runs beside every engine: it stays small by loading nothing else of the product.
  await runGuard(args.slice(1))
} else if (args[0] === 'engine-host') {
  const { runHost } = await import('#engines/host/run')
  await runHost(args.slice(1))
} else {
  const { raiseOutboundLimit } = await import('./outbound-limit')
  raiseOutboundLimit(args)
  const [{ runCli }, { uiFiles }] = await Promise.all([import('./cli'), import('../build/ui-files.gen')])
  await runCli(args, uiFiles)
}
