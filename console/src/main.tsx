import './styles/tokens.css'
import './styles/base.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { baseOfPages } from './api/delegation.ts'
import { App } from './app.tsx'
import { followTheme } from './shell/preferences.ts'

followTheme()

const queries = new QueryClient({
  defaultOptions: {
    // Trouble is shown with a way on; nothing is repeated unseen. Every request is tried, online or not.
    queries: { retry: false, refetchOnWindowFocus: false, staleTime: 30_000, networkMode: 'always' },
  },
})

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no place for the console')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Router base={baseOfPages(window.location.pathname)}>
        <App />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
)
