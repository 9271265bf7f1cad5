/**
 * The link to a transaction in a chain's explorer, from `explorerUrl` in the chain's configuration. If it contains
 * `{id}`, it is the link; otherwise the family's usual path is appended.
 *
 * SECURITY: only a web address becomes a link, whatever the configuration says, and the id cannot leave its place in
 * it.
 */
import type { TransactionId } from "./TransactionId.ts"
import type { FamilyRules } from "../families/FamilyRules.ts"

const PLACE = "{id}"

/** Undefined without an explorer. */
export const explorerLink = (
  { explorerPath }: Pick<FamilyRules, "explorerPath">,
  explorerUrl: string | undefined,
  id: TransactionId
): string | undefined => {
  if (explorerUrl === undefined || !/^https?:\/\/[^\s"'<>\\]+$/iu.test(explorerUrl)) return undefined
  const template = explorerUrl.includes(PLACE)
    ? explorerUrl
    : `${explorerUrl.replace(/(?:\/|\/#)+$/u, "")}${explorerPath}${PLACE}`
  return template.replaceAll(PLACE, () => encodeURIComponent(id))
}
