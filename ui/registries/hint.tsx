/** The engines' hints mark commands with backticks. */
export const WithCode = ({ text }: { text: string }) =>
  text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
      <code key={index} className="rounded-sm bg-sunken px-1 text-text">
        {part}
      </code>
    ) : (
      part
    ),
  )
