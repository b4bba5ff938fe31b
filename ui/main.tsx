import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { askStatus } from './auth/data'
import { Toasts } from './kit/toasts'
import { TooltipProvider } from './kit/tooltip'
import { createQueryClient } from './query'
import { createAppRouter } from './router'

const queries = createQueryClient()
const router = createAppRouter(queries)
void askStatus(queries)

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <TooltipProvider>
        <Toasts>
          <RouterProvider router={router} />
        </Toasts>
      </TooltipProvider>
    </QueryClientProvider>
  </StrictMode>,
)
