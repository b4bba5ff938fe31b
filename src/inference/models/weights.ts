import { imageWeightsProblem } from '#engines/sdcpp'
import { headerOf, imageFile } from '#engines/weights'
import { AppError } from '#kernel/errors'
import type { Registration } from './schema'

/**
 * Refuses a file that can never render pictures when it is registered. One that is missing or cannot be read passes:
 * it may come, and the engine itself is its judge.
 * @throws {AppError} `incomplete_weights`
 */
export async function checkWeights(registration: Registration): Promise<void> {
  const { binding, modality } = registration
  if (binding !== 'llamacpp' || modality !== 'images.generation' || registration.source !== 'local-path')
    return
  const file = await imageFile(registration).catch(absent)
  const header = file && (await headerOf(file))
  const problem = header && imageWeightsProblem(header)
  if (problem) throw new AppError('incomplete_weights', `${file}: ${problem}`)
}

function absent(error: unknown): null {
  if (error instanceof AppError) return null
  throw error
}
