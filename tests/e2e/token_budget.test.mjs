// The estimate of tokens against real tokenizers: never more than 5 % below the largest count, so that an answer that was made for a budget
// keeps it, and not far above it for prose. The texts are those of packages of the lock file and recorded data: they do not change by themselves.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { getTokenizer } from '@anthropic-ai/tokenizer'
import { get_encoding } from 'tiktoken'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const encodings = ['o200k_base', 'cl100k_base'].map((name) => get_encoding(name))
const anthropic = getTokenizer()
const largest = (text) => Math.max(...encodings.map((e) => e.encode(text, [], []).length), anthropic.encode(text.normalize('NFKC'), [], []).length)

const estimates = (texts) =>
  JSON.parse(execFileSync(join(process.env.III_BIN_DIR, 'tests/drivers/estimate_tokens'), { input: texts.map((text) => Buffer.from(text).toString('hex')).join('\n'), encoding: 'utf8', maxBuffer: 1e8 }))

function check(kind, texts, { most = Infinity, least = 0.95 } = {}) {
  const guessed = estimates(texts)
  assert.equal(guessed.length, texts.length)
  const ratios = texts.map((text, i) => guessed[i] / largest(text))
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length
  const low = Math.min(...ratios)
  console.log(`# ${kind}: ${texts.length} texts, mean ${mean.toFixed(2)}, lowest ${low.toFixed(2)}, highest ${Math.max(...ratios).toFixed(2)}`)
  assert.ok(low >= least, `${kind}: ${low.toFixed(3)} of the real count for ${JSON.stringify(texts[ratios.indexOf(low)].slice(0, 200))}`)
  assert.ok(mean <= most, `${kind}: ${mean.toFixed(2)} times the real count on average`)
}

const under = (folder, pattern) =>
  readdirSync(here(folder), { recursive: true })
    .filter((name) => pattern.test(name))
    .sort()
    .slice(0, 60)
    .map((name) => readFileSync(join(here(folder), name), 'utf8').slice(0, 6000))
    .filter((text) => text.length > 100)

const bytes = (seed) => Buffer.concat(Array.from({ length: 8 }, (_, i) => createHash('sha512').update(`${seed}.${i}`).digest()))
const seeds = Array.from({ length: 12 }, (_, i) => i)

const languages = {
  German: 'Die Prüfung der Rechnung erfolgt durch die zuständige Fachabteilung, bevor der Betrag überwiesen wird. Bitte beachten Sie, dass Änderungen erst nach einem Neustart wirksam werden.',
  French: 'La vérification de la facture est effectuée par le service compétent avant que le montant ne soit versé. Où êtes-vous allés l’été dernier ?',
  Spanish: 'La verificación de la factura la realiza el departamento competente antes de que se transfiera el importe. ¿Dónde está la biblioteca?',
  Polish: 'Weryfikacja faktury jest przeprowadzana przez właściwy dział, zanim kwota zostanie przelana. Zażółć gęślą jaźń.',
  Turkish: 'Faturanın kontrolü, tutar havale edilmeden önce ilgili departman tarafından yapılır. Şişman öğrenci gülümsüyordu.',
  Vietnamese: 'Việc kiểm tra hóa đơn được thực hiện bởi bộ phận có thẩm quyền trước khi số tiền được chuyển.',
  Finnish: 'Laskun tarkistaa toimivaltainen osasto ennen summan siirtämistä. Huomaa, että muutokset tulevat voimaan vasta uudelleenkäynnistyksen jälkeen.',
  Russian: 'Проверка счёта выполняется компетентным отделом до перевода суммы. Съешь ещё этих мягких французских булок.',
  Greek: 'Ο έλεγχος του τιμολογίου πραγματοποιείται από το αρμόδιο τμήμα πριν από τη μεταφορά του ποσού.',
  Arabic: 'يتم التحقق من الفاتورة من قبل القسم المختص قبل تحويل المبلغ. يرجى ملاحظة أن التغييرات لا تصبح سارية إلا بعد إعادة التشغيل.',
  Hebrew: 'בדיקת החשבונית מתבצעת על ידי המחלקה המוסמכת לפני העברת הסכום.',
  Hindi: 'राशि हस्तांतरित होने से पहले चालान की जाँच सक्षम विभाग द्वारा की जाती है।',
  Tamil: 'தொகை மாற்றப்படுவதற்கு முன் விலைப்பட்டியல் தகுதியான துறையால் சரிபார்க்கப்படுகிறது.',
  Thai: 'การตรวจสอบใบแจ้งหนี้ดำเนินการโดยแผนกที่มีอำนาจก่อนที่จะโอนเงิน',
  Georgian: 'ინვოისის შემოწმებას ახორციელებს კომპეტენტური განყოფილება თანხის გადარიცხვამდე.',
  Amharic: 'ገንዘቡ ከመተላለፉ በፊት የክፍያ መጠየቂያው ማረጋገጫ የሚከናወነው ብቃት ባለው ክፍል ነው።',
  Chinese: '在转账之前，发票由主管部门进行核对。请注意，配置的更改只有在重新启动后才会生效。会议纪要应在会后发送给所有与会者。',
  'traditional Chinese': '在轉帳之前，發票由主管部門進行核對。請注意，設定的變更只有在重新啟動後才會生效。龍龜鬱籲',
  Japanese: '請求書の確認は、金額が振り込まれる前に担当部署によって行われます。エージェントはスキルを読み込みます。',
  Korean: '금액이 이체되기 전에 담당 부서에서 송장을 확인합니다. 에이전트는 스킬 파일을 읽을 수 있습니다.',
  emoji: '😀😃😄😁 🚀✨🔥 👩‍💻👨‍👩‍👧‍👦 🇩🇪🇫🇷 ✅❌⚠️ 🧑🏽‍🚀 🪿🫠🫥 ❤️‍🔥 ⭐️ 👍🏿',
  signs: '∀x∈ℝ: ⌈x⌉ = −⌊−x⌋, α ∧ ¬β, ∮ E⋅da = Q, n → ∞, ∑ f(i) ≤ ∏ g(i) ┌─┬─┐ │ ░▒▓█ ▁▂▃ ●○◆',
  'rare scripts': '𐎀𐎁𐎂𓀀𓀁𓀂𒀀𒀁 ᚠᛇᚻ᛫ᛒᛦᚦ ⠓⠑⠇⠇⠕ ꙮ 𝕳𝖊𝖑𝖑𝖔 ｆｕｌｌ ①②③',
  marks: 'Z̸̧̢a̷͜l̴͝g̵̛o̶͠ t̷e̸x̶t̴ ẽ̴͔x̸̨͠a̵̛̰m̷̘̈́p̶͚̎l̸̡̀e̴͉͝',
}

test('English prose: close, and never too low', () => {
  check('prose', under('node_modules', /^[^/]+\/README\.md$/), { most: 1.35 })
  const judged = JSON.parse(readFileSync(here('../data/search/judged.json'), 'utf8'))
  check('descriptions', judged.skills.map((skill) => [skill.title, skill.description, skill.body].filter(Boolean).join('\n')), { most: 1.35 })
})

test('code and data', () => {
  check('JavaScript', under('node_modules', /^[^/]+\/(lib|index)[^ ]*\.m?js$/))
  check('TypeScript', under('node_modules', /^[^/]+\/[^ ]*\.d\.ts$/))
  check('JSON', under('../data', /\.json$/))
  check('identifiers', [
    'getUserNameById setHTTPServerTimeoutMs parseXMLHttpRequest listSavedQueries kMaxAnswerBytes'.repeat(4),
    'max_answer_bytes user_only_flag include_description_default registry_cache_ttl_ms '.repeat(6),
    'MAX_ANSWER_BYTES USER_ONLY_FLAG III_DIRECTORY_SKILLS_FOLDER HTTP_STATUS_NOT_FOUND '.repeat(6),
    Array.from({ length: 40 }, (_, i) => `directory::skills::fn_${i}::get-by_id`).join('\n'),
  ])
  check('addresses', seeds.map((i) => `https://example.com/${bytes(i).toString('hex').slice(0, 8)}/path/to/resource?id=${i * 997}&ref=docs#section-${i}\n`.repeat(5)))
  check('tables', ['| a | b | c |\n|---|---|---|\n'.repeat(40), Array.from({ length: 60 }, (_, i) => `${i},${i * i},"name ${i}",${(i * 1.37).toFixed(3)},true`).join('\n')])
})

test('what has no words', () => {
  check('base64', seeds.map((i) => bytes(i).toString('base64')))
  check('base64url', seeds.map((i) => bytes(i).toString('base64url')))
  check('hexadecimal', seeds.map((i) => bytes(i).toString('hex')))
  check('digits', seeds.map((i) => Array.from(bytes(i), (b) => b % 10).join('')))
  check('random letters', seeds.flatMap((i) => [bytes(i).toString('base64').toLowerCase().replace(/[^a-z]/g, ''), bytes(i).toString('base64').toUpperCase().replace(/[^A-Z]/g, '')]))
  check('punctuation', seeds.map((i) => Array.from(bytes(i), (b) => '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'[b % 32]).join('')))
  check('white space', [' '.repeat(3000), '\t'.repeat(500), '\n'.repeat(500), ' \n\t'.repeat(300), 'a line of text\r\n'.repeat(60), '\n\t\t'.repeat(200)])
  check('rows of one sign', ['-'.repeat(500), '='.repeat(77), '.'.repeat(300), 'a'.repeat(2000), 'ab'.repeat(800)])
})

test('other languages and signs', () => {
  for (const [name, text] of Object.entries(languages)) check(name, [text, `${text} `.repeat(4)])
})
