/**
 * The endpoint that everybody is told of a chain: `httpRpcUrl` of GET /chains (ROW-1).
 *
 * SECURITY: the service's own endpoints may hold a key in their URL, so none of them is ever told. The exception is the
 * node of a local network without such an entry, when its URL is a loopback address and nothing else.
 */
import { Redacted, Result } from "effect"
import type { ChainEntry } from "./ChainsFile.ts"
import { endpointsOf } from "./ChainFromEntry.ts"
import { problem } from "./CurrencyFromEntry.ts"
import type { Problem } from "../Variables.ts"

type Entry = Pick<ChainEntry, "id" | "httpRpcUrl" | "publicRpcUrl" | "rpcQuorum">

const loopback: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"])

/** Host and port of this machine, with nothing else in the URL. */
const isBareLoopback = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return loopback.has(url.hostname) && url.href === `${url.protocol}//${url.host}/`
}

const isForEverybody = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hostname, password, protocol, username } = new URL(text)
  return username === "" && password === "" &&
    (protocol === "https:" || (protocol === "http:" && loopback.has(hostname)))
}

/** Undefined when nothing is told. */
export const publicEndpointOf = (
  entry: Entry,
  environment: string
): Result.Result<string | undefined, Problem> => {
  const endpoints = endpointsOf(entry)
  // A faulty httpRpcUrl is its own problem.
  const own = Result.isSuccess(endpoints) ? endpoints.success.map(Redacted.value) : []
  const { publicRpcUrl: told } = entry
  if (told === undefined) {
    const [first] = own
    return Result.succeed(
      environment === "local" && first !== undefined && isBareLoopback(first) ? first : undefined
    )
  }
  if (!isForEverybody(told)) return problem(entry, "publicRpcUrl is not an https URL without user and password")
  const same = own.some((url) => new URL(url).href === new URL(told).href)
  return same && !isBareLoopback(told)
    ? problem(entry, "publicRpcUrl is told to everybody, and is one of its own httpRpcUrl: name another one")
    : Result.succeed(told)
}
