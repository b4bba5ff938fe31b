import { AppError } from '#kernel/errors'
import { readBytes } from '#kernel/http/body'
import { callerOf } from './caller'
import { type Form, readForm } from './form'
import { relay } from './relay'
import type { Serve } from './serve'

/** Two hours of speech in the largest usual format. */
const MAX_UPLOAD_BYTES = 256 * 1024 * 1024

/** Text of a recording. */
export const transcriptions =
  (serve: Serve) =>
  async (request: Request): Promise<Response> => {
    const { model, form } = await readUpload(request)
    return relay(
      await serve(model, (provider) => provider.postForm('/audio/transcriptions', form, callerOf(request))),
    )
  }

/** @throws {AppError} `invalid_request`, `payload_too_large` */
async function readUpload(request: Request): Promise<{ model: string; form: Form }> {
  const type = request.headers.get('content-type') ?? ''
  if (!type.startsWith('multipart/form-data')) {
    throw new AppError('invalid_request', 'Send the fields model and file as multipart/form-data.')
  }
  const form = readForm(await readBytes(request, MAX_UPLOAD_BYTES), type)
  const model = form.parts.find(({ name }) => name === 'model')?.content.toString()
  if (!model)
    throw new AppError('invalid_request', 'model: is required, the logical id of a registered model.')
  if (!form.parts.some(({ name, isFile }) => name === 'file' && isFile)) {
    throw new AppError('invalid_request', 'file: is required, the recording as a file.')
  }
  return { model, form }
}
