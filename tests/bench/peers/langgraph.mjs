// The work of the graph benchmark in LangGraph.js: input → transform → output, without a checkpointer. A process of its
// own, without a server, a record or a trace: `langgraph.mjs <at once> <for ms>` prints what was measured as JSON.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'

const WARM_UP_RUNS = 500
const [atOnce, forMs] = process.argv.slice(2).map(Number)

const State = Annotation.Root({ input: Annotation(), value: Annotation(), output: Annotation() })
const graph = new StateGraph(State)
  .addNode('receive', ({ input }) => ({ value: input }))
  .addNode('transform', ({ value }) => ({ value: { answer: value, kind: 'greeting' } }))
  .addNode('send', ({ value }) => ({ output: JSON.stringify(value) }))
  .addEdge(START, 'receive')
  .addEdge('receive', 'transform')
  .addEdge('transform', 'send')
  .addEdge('send', END)
  .compile()

async function run() {
  const { output } = await graph.invoke({ input: 'hello' })
  if (output !== '{"answer":"hello","kind":"greeting"}') throw new Error(`It put out ${output}.`)
}

for (let i = 0; i < WARM_UP_RUNS; i++) await run()
const samples = []
const startedAt = performance.now()
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (performance.now() - startedAt < forMs) {
      const at = performance.now()
      await run()
      samples.push(performance.now() - at)
    }
  }),
)
console.log(JSON.stringify({ samples, seconds: (performance.now() - startedAt) / 1000 }))
