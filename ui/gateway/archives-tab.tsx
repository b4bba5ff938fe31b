import { Archive as ArchiveIcon, Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { saveFile } from '../kit/save-file'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../kit/table'
import { bytes } from '../trace/format'
import { type Archive, fetchArchive, useArchives } from './data'
import { count } from './format'

/** Days whose requests are kept in detail no more, to be downloaded as the gateways sent them. */
export function ArchivesTab() {
  const archives = useArchives()
  return (
    <Card
      flush
      title="Archives"
      description="Whole days beyond the retention, compressed. Reports go on counting them."
    >
      {archives.isPending && <SkeletonRows rows={4} label="Loading the archives" />}
      {archives.error && (
        <ErrorNotice
          error={archives.error}
          title="The archives could not be loaded"
          onRetry={() => void archives.refetch()}
          className="m-4"
        />
      )}
      {archives.data?.length === 0 && (
        <EmptyState icon={<ArchiveIcon aria-hidden />} title="No archives yet" className="border-t">
          A day comes here once it is older than the retention under Settings, 90 days unless it was changed.
        </EmptyState>
      )}
      {archives.data && archives.data.length > 0 && (
        <Table label="Archives">
          <TableHead>
            <HeadCell>Day</HeadCell>
            <HeadCell className="text-right">Requests</HeadCell>
            <HeadCell className="text-right">Size</HeadCell>
            <HeadCell className="text-right">Stored</HeadCell>
            <HeadCell className="text-right max-sm:hidden">Parts</HeadCell>
            <HeadCell>
              <span className="sr-only">Download</span>
            </HeadCell>
          </TableHead>
          <TableBody>
            {archives.data.map((archive) => (
              <ArchiveRow key={archive.day} archive={archive} />
            ))}
          </TableBody>
        </Table>
      )}
    </Card>
  )
}

function ArchiveRow({ archive }: { archive: Archive }) {
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<unknown>(null)
  async function download() {
    setPending(true)
    setError(null)
    try {
      saveFile(`gateway-${archive.day}.jsonl`, await fetchArchive(archive.day))
    } catch (problem) {
      setError(problem)
    } finally {
      setPending(false)
    }
  }
  return (
    <Row>
      <Cell className="font-medium whitespace-nowrap">{archive.day}</Cell>
      <Cell className="text-right">{count(archive.requests)}</Cell>
      <Cell className="text-right whitespace-nowrap">{bytes(archive.bytes)}</Cell>
      <Cell className="text-right whitespace-nowrap">{bytes(archive.stored_bytes)}</Cell>
      <Cell className="text-right max-sm:hidden">{count(archive.parts)}</Cell>
      <Cell className="w-0 py-1.5">
        <Button
          size="sm"
          pending={pending}
          aria-label={`Download ${archive.day}`}
          icon={<Download aria-hidden className="size-3.5" />}
          onClick={() => void download()}
        >
          Download
        </Button>
        {error !== null && <ErrorNotice error={error} className="mt-2" />}
      </Cell>
    </Row>
  )
}
