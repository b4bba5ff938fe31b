import type { AnswerPhase } from '../chat/answer'

export const texts = {
  form: {
    more: (count: number) => `More settings (${count})`,
    lastRun: 'With the last run’s values: {value}',
    /** Keys and values of a config that their name alone does not explain. */
    titles: {
      expr: 'Value',
      select: 'Branch',
      topK: 'Passages',
      keyExpr: 'Counted apart by',
      urlTemplate: 'URL',
      bodyTemplate: 'Body',
      timeoutSeconds: 'Timeout in seconds',
      windowSeconds: 'Window in seconds',
      backoffMs: 'Pause in milliseconds',
      passOn: 'Passes on',
      json: 'JSON',
      json_schema: 'JSON with keys',
      pii: 'No personal data',
    },
    hints: {
      messages: 'Type $in for what comes in, and $in.<input>.<field> for a part of it.',
      tools: 'What the model may call by itself.',
      type: 'A rule decides at once; a model reads and judges.',
    },
    notJson: 'This is not JSON yet, so it does not count.',
    model: {
      label: 'Model',
      placeholder: 'Choose a model…',
      empty: 'No model of this kind is registered yet.',
      unregistered: 'not registered here',
      add: 'Add a model…',
    },
    messages: {
      roles: { system: 'Instructions', user: 'Question', assistant: 'Answer' },
      role: (number: number) => `Role of message ${number}`,
      text: (number: number) => `Message ${number}`,
      picture: (number: number) => `Picture of message ${number}`,
      instructionsPlaceholder: 'You are …',
      messagePlaceholder: 'Type $in for what comes in',
      addInstructions: 'Instructions',
      addMessage: 'A message',
      addPicture: 'Add a picture',
      remove: (number: number) => `Remove message ${number}`,
      removePart: 'Remove this part',
    },
    tools: {
      mayCall: (name: string) => `May call ${name}`,
      unknown: 'not known here',
    },
    agent: {
      label: 'Agent',
      placeholder: 'Choose an agent…',
      empty: 'No agent is published under that name.',
    },
    map: {
      name: (number: number) => `Name ${number}`,
      value: (name: string) => `Value of ${name}`,
      remove: (name: string) => `Remove ${name}`,
      add: 'Add a value',
    },
  },
  test: {
    gate: {
      problems: (count: number) =>
        count === 1
          ? 'One problem keeps it from running. The list of problems leads to each.'
          : `${count} problems keep it from running. The list of problems leads to each.`,
      showProblems: 'Show the problems',
      empty: 'There is nothing to run yet: add an Input, a Model and an Output.',
      durable: (nodes: string) =>
        `${nodes} must outlive a restart, so this agent only runs durably: publish it, and run it from its page.`,
      reserved: (nodes: string) => `${nodes}: nothing can run nodes of this type yet. Remove it.`,
      node: (title: string) => `“${title}”`,
      more: (nodes: string, count: number) => `${nodes} and ${count} more`,
    },
    input: {
      label: 'Input',
      none: 'The graph has no Input node, so it takes no input.',
      textPlaceholder: 'What should it work on?',
      jsonHint: 'JSON, as a program would send it.',
      jsonPlaceholder: '{"text": "…"}',
      jsonMissing: 'Give it some JSON to work on.',
      notJson: 'This is not JSON yet.',
      file: 'Input file',
      fileMissing: 'Choose a file first.',
      uploading: 'Uploading…',
      refused: 'The file could not be taken',
      unreadable: 'The file could not be read.',
    },
    pinned: {
      kept: (node: string) => `The output of “${node}” is kept: the run begins after it.`,
      notKept: (node: string, reason: string) => `The output of “${node}” cannot be kept. ${reason}`,
      release: 'Let it go',
    },
    /** Why a run cannot begin at a node. */
    restart: {
      noRun: 'Run it once from the start: there is nothing to take over yet.',
      changed:
        'The graph changed since the last run, so what that put out may not fit any more. Run it once from the start.',
      last: 'Nothing comes after this node, so keeping its output saves nothing.',
      several: 'Its output goes to several nodes. Run from the one you are working on instead.',
    },
    run: 'Run',
    stop: 'Stop',
    result: {
      label: 'Result',
      phases: {
        connecting: 'Starting',
        thinking: 'Thinking',
        answering: 'Answering',
        completed: 'Done',
        failed: 'Failed',
        stopped: 'Stopped',
      } satisfies Record<AnswerPhase, string>,
      timeline: 'Timeline',
      reasoning: 'Thinking',
      output: 'What the run put out',
      failed: 'The run failed',
    },
  },
} as const
