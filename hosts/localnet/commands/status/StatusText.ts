/** A network's state as lines for people, at most 80 columns wide but for a service's own words. Pure. */
import { table } from "../../../cli/Screen.ts"
import type { Status } from "./Status.ts"

const servesOf = (serves: boolean | null): string => serves === null ? "-" : serves ? "yes" : "no"

export const statusLines = ({ chains, pid, requests, services }: Status): ReadonlyArray<string> => {
  const problems = [...services, ...chains].flatMap((each) => each.problems)
  return [
    `The local network runs, process ${pid}.`,
    "",
    ...table(services.map(({ answers, name, url }) => [name, answers ? "answers" : "DOES NOT ANSWER", url])),
    ...table([["dashboard", `${services[0]?.url}/dashboard`]]),
    "",
    ...table([
      ["chain", "id", "height", "served", "node"],
      ...chains.map(({ chainId, height, id, serves, url }) => [
        id,
        `${chainId}`,
        height === null ? "-" : `${height}`,
        servesOf(serves),
        url
      ])
    ]),
    ...new Set(problems),
    "",
    `requests with a deposit and no end: ${requests.open ?? "unknown"}`,
    ...requests.stuck.flatMap(({ requestId, why }) => [requestId, `  ${why}`]),
    ...requests.last.length === 0 ? [] : ["the demo key's last requests:"],
    ...requests.last.map(({ id, status }) => `${id}  ${status}`)
  ]
}
