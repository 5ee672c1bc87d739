// How the states of a file and the kinds of findings are called.
import { capital } from '../format.js'

export const STATE = {
  served: 'Served',
  finding: 'With a finding',
  missing: 'Not served',
  filtered: 'Worker not installed',
  shadowed: 'Hidden by another',
}
export const SHORT_STATE = {
  served: 'Served',
  finding: 'Finding',
  missing: 'Not served',
  filtered: 'No worker',
  shadowed: 'Hidden',
}
export const isServed = (state) => state === 'served' || state === 'finding'

const TITLE = {
  prompt_no_frontmatter: 'Prompt without frontmatter',
  prompt_no_description: 'Prompt without description',
  not_utf8: 'Not UTF-8',
  unreadable: 'Cannot be opened',
  too_large: 'Too large',
  unquoted_colon: 'Colon without quotes',
  tab_indent: 'Tab before a key',
  skill_case: 'Skill.md instead of SKILL.md',
  frontmatter_unclosed: 'Frontmatter not closed',
  outside_root: 'Link leaves the root',
  id_normalised: 'Served under another id',
  duplicate_id: 'Same id twice',
  open_fence: 'Code fence not closed',
  duplicate_key: 'Key twice',
  shadowed: 'Hidden by a local folder',
  mcp_left_out: 'Left out of skills/list of MCP',
}
export const titleOf = (code) => TITLE[code] || capital(code.replace(/_/g, ' '))
