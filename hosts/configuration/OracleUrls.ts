/**
 * ORACLE_URL: the oracles that sign what the worker settles. `<url>` or `<url>|<key>`, separated by commas.
 * ORACLE_API_KEY is for entries without a key.
 *
 * SECURITY: a key is sent only over https, or to this machine.
 */
import { Redacted, Result } from "effect"
import type { OracleEndpoint } from "../../adapters/oracles/HttpOracles.ts"
import { isPrivate } from "../../adapters/endpoints/PrivateUrl.ts"
import { Problem } from "./Variables.ts"

/** Far more oracles than any gate requires. */
const MOST_ORACLES = 32

const endpointOf = (entry: string, usual: Redacted.Redacted | undefined): OracleEndpoint | undefined => {
  const [text = "", own, ...rest] = entry.trim().split("|")
  const url = URL.parse(text)
  if (
    url === null || rest.length > 0 || own === "" || url.search !== "" || url.hash !== "" || url.username !== "" ||
    url.password !== ""
  ) return undefined
  if (!isPrivate(url)) return undefined
  return {
    url: text.replace(/\/+$/, ""),
    key: own === undefined ? usual : Redacted.make(own, { label: "oracle-api-key" })
  }
}

/** Fails with a problem that quotes nothing of the text. */
export const parseOracleUrls = (
  text: string,
  usual: Redacted.Redacted | undefined
): Result.Result<ReadonlyArray<OracleEndpoint>, Problem> => {
  const parsed = text.replace(/,\s*$/, "").split(",").map((entry) => endpointOf(entry, usual))
  const endpoints = parsed.filter((each) => each !== undefined)
  if (endpoints.length < parsed.length || endpoints.length > MOST_ORACLES) {
    return Result.fail(
      new Problem({
        message:
          `ORACLE_URL is not valid: https URLs (http on this machine alone) without a query, each with |<key> or not, separated by commas, at most ${MOST_ORACLES}`
      })
    )
  }
  return new Set(endpoints.map(({ url }) => url)).size < endpoints.length
    ? Result.fail(new Problem({ message: "ORACLE_URL names the same oracle twice" }))
    : Result.succeed(endpoints)
}
