import { AppError } from '#kernel/errors'
import type { CatalogDetail, CatalogList, CatalogQuery, Install, Job } from './schema'

export interface CatalogService {
  search(query: CatalogQuery, signal: AbortSignal): Promise<CatalogList>
  detail(repo: string, signal: AbortSignal): Promise<CatalogDetail>
  install(install: Install, signal: AbortSignal): Promise<Job>
  downloads(): { downloads: Job[] }
  download(id: string): Job
  cancel(id: string): Promise<Job>
}

export function catalogService(): CatalogService {
  const missing = () => new AppError('download_not_found', 'There is no such download.')
  const unreachable = () => new AppError('catalog_error', 'The hub cannot be reached.')
  return {
    search: async () => {
      throw unreachable()
    },
    detail: async () => {
      throw unreachable()
    },
    install: async () => {
      throw unreachable()
    },
    downloads: () => ({ downloads: [] }),
    download: () => {
      throw missing()
    },
    cancel: async () => {
      throw missing()
    },
  }
}
