import { useMutation } from '@tanstack/react-query'
import { Archive as ArchiveIcon, Download } from 'lucide-react'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { saveFile } from '../kit/save-file'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../kit/table'
import { texts as gateway } from '../texts/gateway'
import { count } from '../texts/words'
import { bytes } from '../trace/format'
import { type Archive, fetchArchive, useArchives } from './data'

const texts = gateway.archives

/** Days whose requests are kept in detail no more, to be downloaded as the gateways sent them. */
export function ArchivesTab() {
  const archives = useArchives()
  return (
    <Card flush title={texts.title} description={texts.description}>
      {archives.isPending && <SkeletonRows rows={4} label={texts.loading} />}
      {archives.error && (
        <ErrorNotice
          error={archives.error}
          title={texts.failed}
          onRetry={() => void archives.refetch()}
          className="m-4"
        />
      )}
      {archives.data?.length === 0 && (
        <EmptyState icon={<ArchiveIcon aria-hidden />} title={texts.empty} className="border-t">
          {texts.hint}
        </EmptyState>
      )}
      {archives.data && archives.data.length > 0 && (
        <Table label={texts.title}>
          <TableHead>
            <HeadCell>{texts.day}</HeadCell>
            <HeadCell className="text-right">{texts.requests}</HeadCell>
            <HeadCell className="text-right">{texts.size}</HeadCell>
            <HeadCell className="text-right">{texts.stored}</HeadCell>
            <HeadCell className="text-right max-sm:hidden">{texts.parts}</HeadCell>
            <HeadCell>
              <span className="sr-only">{texts.download}</span>
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
  const download = useMutation({
    mutationFn: async () => saveFile(`gateway-${archive.day}.jsonl`, await fetchArchive(archive.day)),
  })
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
          pending={download.isPending}
          aria-label={texts.downloadDay(archive.day)}
          icon={<Download aria-hidden className="size-3.5" />}
          onClick={() => download.mutate()}
        >
          {texts.download}
        </Button>
        {download.error && <ErrorNotice error={download.error} className="mt-2" />}
      </Cell>
    </Row>
  )
}
