/**
 * Where a chain's explorer shows a transaction, from the `explorerUrl` of the chain's configuration: with `{id}` in it
 * that is the link, and else its family's usual form is added to it.
 *
 * SECURITY: only a web address becomes a link, whatever a configuration says, and the id cannot leave its place in it.
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
