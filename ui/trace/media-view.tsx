import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useEffect, useState } from 'react'
import { request } from '../api'
import { ErrorNotice } from '../kit/notices'
import { Skeleton } from '../kit/placeholders'
import { texts as trace } from '../texts/trace'
import type { Media } from './media'

const texts = trace.media

/** A picture to see, a recording to hear, any other file to save. */
export function MediaView({ media: { kind, name, source }, label }: { media: Media; label: string }) {
  const { url, error, refetch } = useUrl(source)
  const title = name === '' ? label : `${label}, ${name}`
  if (error) return <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
  if (url === null) return <Skeleton className="h-12 w-full max-w-sm rounded-lg" />
  switch (kind) {
    case 'image':
      return <img src={url} alt={title} className="max-h-64 min-h-10 max-w-full object-contain" />
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: there is no text of it but what stands beside it
      return <audio controls src={url} aria-label={title} className="h-10 w-full max-w-sm" />
    case 'video':
      // biome-ignore lint/a11y/useMediaCaption: there is no text of it but what stands beside it
      return <video controls src={url} aria-label={title} className="max-h-80 max-w-full" />
    case 'file':
      return (
        <a
          href={url}
          download={'ref' in source ? source.ref : title}
          className="inline-flex items-center gap-1.5 text-sm text-accent underline underline-offset-2"
        >
          <Download aria-hidden className="size-3.5" />
          {'contentType' in source ? texts.saveTyped(source.contentType) : texts.save}
        </a>
      )
  }
}

/** Artifacts ask for the bearer, which an address in the page cannot carry: they are fetched, and shown from memory. */
function useUrl(source: Media['source']) {
  const ref = 'ref' in source ? source.ref : null
  const { data: blob, ...query } = useQuery({
    queryKey: ['artifacts', ref],
    enabled: ref !== null,
    queryFn: async () => (await request('control', `/artifacts/${encodeURIComponent(ref!)}`)).blob(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!blob) return
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return { ...query, url: 'url' in source ? source.url : url }
}
