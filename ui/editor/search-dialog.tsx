import { Command } from 'cmdk'
import { Search } from 'lucide-react'
import { Dialog } from 'radix-ui'
import type { AgentDocument } from '../../src/graph/ir'
import { iconOf } from '../canvas/icons'
import { plainText, sentenceOf, titleOf } from '../canvas/sentence'
import { texts as editor } from '../texts/editor'

const texts = editor.search

/** As many as one list can show at once without a wait. */
const SHOWN = 2_000

interface SearchDialogProps {
  document: AgentDocument
  onShow: (id: string) => void
  onClose: () => void
}

/** Finds a node by its name, its id, its type or what it says. */
export const SearchDialog = ({ document, onShow, onClose }: SearchDialogProps) => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Overlay className="fixed inset-0 z-40 animate-fade-in bg-scrim" />
      <Dialog.Content
        aria-describedby={undefined}
        onCloseAutoFocus={(event) => event.preventDefault()}
        className="fixed top-[12dvh] left-1/2 z-50 w-[calc(100%-1.5rem)] max-w-xl -translate-x-1/2 animate-fade-in overflow-hidden rounded-xl border bg-raised shadow-raised outline-none"
      >
        <Dialog.Title className="sr-only">{texts.title}</Dialog.Title>
        <Command label={texts.title} loop>
          <div className="flex items-center gap-2.5 border-b px-4">
            <Search aria-hidden className="size-4 shrink-0 text-faint" />
            <Command.Input
              placeholder={texts.placeholder}
              className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none"
            />
          </div>
          <Command.List
            label={texts.list}
            className="max-h-[min(24rem,60dvh)] overflow-y-auto overscroll-contain p-1.5"
          >
            <Command.Empty className="px-4 py-8 text-center text-sm text-muted">{texts.empty}</Command.Empty>
            {document.nodes.slice(0, SHOWN).map((node, index) => {
              const Icon = iconOf(node.type)
              const says = plainText(sentenceOf(node, document))
              return (
                <Command.Item
                  // biome-ignore lint/suspicious/noArrayIndexKey: ids may repeat in a document that has problems
                  key={index}
                  value={`${node.id} ${index}`}
                  keywords={[titleOf(node), node.type, says]}
                  onSelect={() => onShow(node.id)}
                  className="flex cursor-default items-center gap-2.5 rounded-md px-2.5 py-1.5 select-none data-[selected=true]:bg-hover pointer-coarse:py-2.5"
                >
                  <Icon aria-hidden className="size-4 shrink-0 text-muted" />
                  <span className="min-w-0">
                    <span className="block truncate text-sm">{titleOf(node)}</span>
                    <span className="block truncate text-xs text-muted">{says}</span>
                  </span>
                </Command.Item>
              )
            })}
          </Command.List>
        </Command>
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
)
