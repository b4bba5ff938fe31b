import { Dialog } from '../kit/dialog'
import { Kbd } from '../kit/kbd'
import { type Command, keysOf, SHORTCUTS } from './shortcuts'

const GROUPS = ['Document', 'Canvas'] as const

/** Every key of the editor. */
export const ShortcutsDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog open onOpenChange={(open) => !open && onClose()} title="Keyboard shortcuts">
    <div className="flex flex-col gap-5">
      {GROUPS.map((group) => (
        <section key={group} aria-label={group}>
          <h3 className="mb-1 text-xs font-medium text-muted">{group}</h3>
          <dl className="divide-y divide-line">
            {(Object.keys(SHORTCUTS) as Command[])
              .filter((command) => SHORTCUTS[command].group === group)
              .map((command) => (
                <div key={command} className="flex items-center justify-between gap-4 py-1.5 text-sm">
                  <dt>{SHORTCUTS[command].does}</dt>
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
      <p className="text-xs text-muted">
        On the canvas, Tab goes from step to step, Enter chooses one, the arrow keys move it. Wires can also
        be drawn in the inspector.
      </p>
    </div>
  </Dialog>
)
