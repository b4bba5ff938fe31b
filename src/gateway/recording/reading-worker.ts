import { parentPort } from 'node:worker_threads'
import { type ReadTask, readTask } from './reading'

/** Reads the bodies of large requests, off the loop that forwards. */
parentPort?.on('message', (task: ReadTask) => parentPort?.postMessage(readTask(task)))
