/** The problems in the figures of a soak run. The bounds are time limits and growth, not a machine's speed. */
import type { SoakFigures } from "./Soak.ts"

/** Two round trips of four seconds each, plus what a loaded machine adds. */
const SLOWEST_MS = 12_000
/**
 * How much memory may still grow after the first third, in MB and as a part: caches fill, and collections come late.
 */
const ROOM = { mb: 60, part: 0.25 }

export const faultsOf = ({ broken, handles, phases, untrue }: SoakFigures): ReadonlyArray<string> => {
  const third = phases[Math.floor(phases.length / 3)]
  const last = phases.at(-1)
  const healthy = phases.filter(({ name }) => name.startsWith("all answer"))
  const outvoted = phases.filter(({ name }) => ["one is dead", "one drops connections", "one lies"].includes(name))
  return [
    ...untrue.slice(0, 5).map((answer) => `an answer that is not the truth: ${answer}`),
    ...(broken > 0 ? [`${broken} connections broke`] : []),
    ...healthy.filter(({ unavailable }) => unavailable > 0).map(({ name, unavailable }) =>
      `${unavailable} times unavailable while ${name}`
    ),
    ...outvoted.filter(({ answered, unavailable }) => unavailable > answered / 100).map(({ name, unavailable }) =>
      `${unavailable} times unavailable while only ${name}`
    ),
    ...phases.filter(({ slowest }) => slowest > SLOWEST_MS).map(({ name, slowest }) =>
      `an answer took ${slowest.toFixed(0)} ms while ${name}`
    ),
    ...(third !== undefined && last !== undefined && last.memory > third.memory * (1 + ROOM.part) + ROOM.mb
      ? [`memory grew from ${third.memory.toFixed(0)} to ${last.memory.toFixed(0)} MB`]
      : []),
    ...(handles.after > handles.before ? [`${handles.after - handles.before} handles stay open`] : [])
  ]
}
