import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { isObject } from '../../../src/graph/read'
import { request } from '../../api'
import { RichText } from '../../chat/rich-text'
import { ErrorNotice } from '../../kit/notices'
import { Skeleton } from '../../kit/placeholders'

interface Artifact {
  ref: string
  contentType: string
}

/** A run’s output by what it is: a file that can be seen or heard, a picture, JSON, or text. */
export function OutputView({ text }: { text: string }) {
  const artifact = artifactIn(text)
  if (artifact) return <ArtifactView artifact={artifact} />
  if (/^data:image\/(png|jpeg|gif|webp);base64,/.test(text)) {
    return <img src={text} alt="What the run put out" className="max-h-80 max-w-full" />
  }
  const json = jsonIn(text)
  return json === undefined ? (
    <RichText text={text} />
  ) : (
    <pre className="overflow-x-auto text-xs">{JSON.stringify(json, null, 2)}</pre>
  )
}

function ArtifactView({ artifact: { ref, contentType } }: { artifact: Artifact }) {
  const { data: blob, error } = useQuery({
    queryKey: ['artifacts', ref],
    queryFn: async () => (await request('control', `/artifacts/${encodeURIComponent(ref)}`)).blob(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const url = useMemo(() => (blob ? URL.createObjectURL(blob) : null), [blob])
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url])
  if (error) return <ErrorNotice title="The file could not be loaded" error={error} />
  if (url === null) return <Skeleton className="h-24 w-full" />
  if (contentType.startsWith('image/')) {
    return <img src={url} alt="What the run put out" className="max-h-80 max-w-full" />
  }
  if (contentType.startsWith('audio/')) {
    // biome-ignore lint/a11y/useMediaCaption: there is no text of it but what the run was asked for
    return <audio controls src={url} className="w-full" />
  }
  return (
    <a href={url} download={ref} className="text-sm text-accent underline">
      Save the file ({contentType})
    </a>
  )
}

function artifactIn(text: string): Artifact | null {
  const value = jsonIn(text)
  return isObject(value) && typeof value.ref === 'string' && typeof value.contentType === 'string'
    ? { ref: value.ref, contentType: value.contentType }
    : null
}

/** Only objects and lists: a number or a quoted word reads better as text. */
function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
