/** Time for the browser to take the file over. */
const TAKEN_MS = 60_000

/** Has the browser keep `content` as a file, as if it had been a link. */
export function saveFile(name: string, content: string | Blob, type = 'application/octet-stream') {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), TAKEN_MS)
}
