import { useMutation } from '@tanstack/react-query'
import { Download, Ellipsis, Upload } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../kit/button'
import { Menu, MenuItem } from '../kit/menu'
import { ErrorNotice } from '../kit/notices'
import { saveFile } from '../kit/save-file'
import { texts as registries } from '../texts/registries'
import { exportRegistry } from './data'
import { ImportDialog } from './import-dialog'

const texts = registries.transfer

/** The registry as a file, and back. */
export function TransferMenu() {
  const [importing, setImporting] = useState(false)
  const exporting = useMutation({ mutationFn: async () => save(await exportRegistry()) })
  return (
    <>
      {exporting.error && <ErrorNotice title={texts.exportFailed} error={exporting.error} />}
      <Menu
        trigger={
          <IconButton
            variant="secondary"
            label={texts.label}
            icon={<Ellipsis aria-hidden className="size-4" />}
          />
        }
      >
        <MenuItem icon={<Download aria-hidden />} onSelect={() => exporting.mutate()}>
          {texts.export}
        </MenuItem>
        <MenuItem icon={<Upload aria-hidden />} onSelect={() => setImporting(true)}>
          {texts.import}
        </MenuItem>
      </Menu>
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
    </>
  )
}

function save(bundle: unknown) {
  const day = new Date().toISOString().slice(0, 10)
  saveFile(`tycho-models-${day}.json`, `${JSON.stringify(bundle, null, 2)}\n`, 'application/json')
}
