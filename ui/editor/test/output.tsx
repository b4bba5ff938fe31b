import { RichText } from '../../chat/rich-text'
import { texts } from '../../texts/editor-panels'
import { mediaIn } from '../../trace/media'
import { MediaView } from '../../trace/media-view'

/** A run’s output by what it is: a file that can be seen or heard, a picture, JSON, or text. */
export function OutputView({ text }: { text: string }) {
  const [file, ...others] = mediaIn(jsonIn(text))
  if (file?.name === '' && others.length === 0)
    return <MediaView media={file} label={texts.test.result.output} />
  if (/^data:image\/(png|jpeg|gif|webp);base64,/.test(text)) {
    return <img src={text} alt={texts.test.result.output} className="max-h-80 max-w-full" />
  }
  const json = jsonIn(text)
  return json === undefined ? (
    <RichText text={text} />
  ) : (
    <pre className="overflow-x-auto text-xs">{JSON.stringify(json, null, 2)}</pre>
  )
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
