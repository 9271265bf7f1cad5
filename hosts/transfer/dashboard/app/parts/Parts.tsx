/** What every page is made of: headings, tables, fields, buttons, and what is said while something is loaded. */
import type { ComponentChildren } from "preact"
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { problemOf } from "../net/Call.ts"

/** The page's heading. It takes the focus when the page is changed to, so that screen readers read it. */
export const Heading = ({ children }: { readonly children: ComponentChildren }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return <h1 ref={heading} tabIndex={-1}>{children}</h1>
}

/** Its heading gets the focus when what had it is gone (KeepFocus.ts). */
export const Section = ({ children, title }: { readonly title: string; readonly children: ComponentChildren }) => {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id} tabIndex={-1}>{title}</h2>
      {children}
    </section>
  )
}

interface TableProps {
  /** Read out before the table. */
  readonly caption: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<{ readonly key: string; readonly cells: ReadonlyArray<ComponentChildren> }>
  readonly empty: string
}

/** On a phone each row is a card, and each cell says its column. */
export const Table = ({ caption, columns, empty, rows }: TableProps) =>
  rows.length === 0 ? <p class="soft">{empty}</p> : (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>{columns.map((column) => <th key={column} scope="col">{column}</th>)}</tr>
      </thead>
      <tbody>
        {rows.map(({ cells, key }) => (
          <tr key={key}>
            {cells.map((cell, index) => <td key={columns[index]} data-column={columns[index]}>{cell}</td>)}
          </tr>
        ))}
      </tbody>
    </table>
  )

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly change: (value: string) => void
  readonly type?: "text" | "password" | "url" | "date"
  readonly hint?: string
  readonly autocomplete?: string
  readonly mode?: "decimal"
  readonly required?: boolean
}

export const Field = (
  { autocomplete = "off", change, hint, label, mode, required = false, type = "text", value }: FieldProps
) => {
  const id = useId()
  const common = {
    id,
    value,
    autocomplete,
    spellcheck: false,
    required,
    ...(mode === undefined ? {} : { inputMode: mode }),
    ...(hint === undefined ? {} : { "aria-describedby": `${id}-hint` }),
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => change(currentTarget.value)
  }
  // The types of the elements are a union over `type`, so it has to be written out.
  const inputs = {
    text: () => <input type="text" {...common} />,
    password: () => <input type="password" {...common} />,
    url: () => <input type="url" {...common} />,
    date: () => <input type="date" {...common} />
  } as const
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {inputs[type]()}
      {hint === undefined ? null : <span class="soft" id={`${id}-hint`}>{hint}</span>}
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly change: (value: string) => void
  readonly options: ReadonlyArray<readonly [value: string, shown: string]>
}

export const Choice = ({ change, label, options, value }: ChoiceProps) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {options.map(([option, shown]) => <option key={option} value={option}>{shown}</option>)}
      </select>
    </div>
  )
}

interface ActionProps {
  readonly children: ComponentChildren
  readonly run: () => Promise<void>
  /** Asked before it is done, where it cannot be taken back. */
  readonly confirm?: string
  readonly kind?: "plain" | "main" | "danger"
  /** For screen readers, where the text alone does not say what it is about. */
  readonly label?: string
}

/** Runs one thing at a time, and keeps what went wrong. */
const useRun = (run: () => Promise<void>) => {
  const isBusy = useRef(false)
  const [isRunning, setRunning] = useState(false)
  const [problem, setProblem] = useState<string>()
  const start = async () => {
    if (isBusy.current) return
    isBusy.current = true
    setRunning(true)
    setProblem(undefined)
    try {
      await run()
    } catch (cause) {
      setProblem(problemOf(cause))
    }
    isBusy.current = false
    setRunning(false)
  }
  return { isRunning, problem, start }
}

/**
 * A button that does something over the network, says so, and shows what went wrong beside it. Running, it is only
 * `aria-disabled`, because a disabled button loses the focus. A question has the focus while it is asked; Escape is no.
 */
export const Action = ({ children, confirm, kind = "plain", label, run }: ActionProps) => {
  const { isRunning, problem, start } = useRun(run)
  const [isAsking, setAsking] = useState(false)
  const wasAsking = useRef(false)
  const button = useRef<HTMLButtonElement>(null)
  const question = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (isAsking) question.current?.focus()
    else if (wasAsking.current) button.current?.focus()
    wasAsking.current = isAsking
  }, [isAsking])
  const accept = () => {
    setAsking(false)
    void start()
  }
  return (
    <span class="action">
      {isAsking
        ? (
          <span
            ref={question}
            class="asking"
            role="group"
            aria-label={confirm}
            tabIndex={-1}
            onKeyDown={({ key }) => key === "Escape" && setAsking(false)}
          >
            <span>{confirm}</span>
            <button type="button" class="danger" onClick={accept}>Yes</button>
            <button type="button" onClick={() => setAsking(false)}>No</button>
          </span>
        )
        : (
          <button
            ref={button}
            type="button"
            class={kind}
            aria-disabled={isRunning}
            aria-label={label}
            onClick={() => confirm === undefined || isRunning ? void start() : setAsking(true)}
          >
            {children}
          </button>
        )}
      {problem === undefined ? null : <span role="alert" class="problem">{problem}</span>}
    </span>
  )
}

/** A form that sends on Enter, too. */
export const Form = (
  { children, run, submit }: {
    readonly children: ComponentChildren
    readonly run: () => Promise<void>
    readonly submit: string
  }
) => {
  const { isRunning, problem, start } = useRun(run)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void start()
      }}
    >
      {children}
      <button type="submit" class="main" aria-disabled={isRunning}>{submit}</button>
      {problem === undefined ? null : <p role="alert" class="problem">{problem}</p>}
    </form>
  )
}

/** A secret, shown once. It is gone when the page is left. */
export const Secret = ({ done, text, what }: {
  readonly what: string
  readonly text: string
  readonly done: () => void
}) => {
  const [copied, setCopied] = useState(false)
  return (
    <div class="secret" role="status">
      <p>{what} It is shown this once: keep it now.</p>
      <code>{text}</code>
      <p class="row">
        <Action kind="main" run={() => navigator.clipboard.writeText(text).then(() => setCopied(true))}>
          {copied ? "Copied" : "Copy"}
        </Action>
        <button type="button" onClick={done}>I have kept it</button>
      </p>
    </div>
  )
}

/** What became of something that was asked for. It is read out. */
export const Outcome = ({ text }: { readonly text: string | undefined }) => (
  <p role="status" class="outcome">{text === undefined ? null : <State kind="good">{text}</State>}</p>
)

export interface Loaded<A> {
  readonly value: A | undefined
  readonly problem: string | undefined
  readonly reload: () => Promise<void>
}

/**
 * Loads when `what` changes; until then the former answer stays, so that nothing that is being filled in is lost. An
 * answer that comes after a later question is dropped.
 */
export function useLoaded<A>(what: string, load: () => Promise<A>): Loaded<A> {
  const [state, setState] = useState<{ readonly value?: A; readonly problem?: string }>({})
  const asked = useRef(0)
  const reload = async () => {
    const mine = asked.current += 1
    try {
      const value = await load()
      if (mine === asked.current) setState({ value })
    } catch (cause) {
      if (mine === asked.current) setState({ problem: problemOf(cause) })
    }
  }
  useEffect(() => void reload(), [what])
  return { value: state.value, problem: state.problem, reload }
}

export function Show<A>(
  { children, loaded: { problem, reload, value } }: {
    readonly loaded: Loaded<A>
    readonly children: (value: A) => ComponentChildren
  }
) {
  if (value !== undefined) return <>{children(value)}</>
  return problem === undefined
    ? <p class="soft" role="status">Loading…</p>
    : (
      <p role="alert" class="problem">
        {problem} <Action run={reload}>Try again</Action>
      </p>
    )
}

/** A state in words; the colour only repeats it. */
export const State = ({ kind, children }: {
  readonly kind: "good" | "warn" | "bad" | "busy"
  readonly children: ComponentChildren
}) => <span class={`state ${kind}`}>{children}</span>

export const statusKind = (status: string): "good" | "warn" | "bad" | "busy" => {
  if (status === "success" || status === "delivered" || status === "paid") return "good"
  if (status === "failure" || status === "failed") return "bad"
  return status === "refund" || status === "delayed" ? "warn" : "busy"
}
