import { Dialog } from '../kit/dialog'
import { Kbd } from '../kit/kbd'
import { texts } from '../texts/editor'
import { type Command, keysOf, SHORTCUTS } from './shortcuts'

const GROUPS = ['document', 'canvas'] as const

/** Every key of the editor. */
export const ShortcutsDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog open onOpenChange={(open) => !open && onClose()} title={texts.shortcuts.title}>
    <div className="flex flex-col gap-5">
      {GROUPS.map((group) => (
        <section key={group} aria-label={texts.shortcuts.groups[group]}>
          <h3 className="mb-1 text-xs font-medium text-muted">{texts.shortcuts.groups[group]}</h3>
          <dl className="divide-y divide-line">
            {(Object.keys(SHORTCUTS) as Command[])
              .filter((command) => SHORTCUTS[command].group === group)
              .map((command) => (
                <div key={command} className="flex items-center justify-between gap-4 py-1.5 text-sm">
                  <dt>{texts.commands[command]}</dt>
                  <dd className="flex gap-1">
                    {keysOf(command).map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
      <p className="text-xs text-muted">{texts.shortcuts.hint}</p>
    </div>
  </Dialog>
)
