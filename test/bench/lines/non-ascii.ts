import { drawFor } from './draw.ts'
import { outcomeOf } from './levels.ts'
import { type LineShape, timeOf } from './line-shape.ts'

const CITIES = ['上海', '北京', 'Москва', 'Київ', 'München', 'São Paulo', '東京', 'Αθήνα']
const PEOPLE = ['李雷', '韩梅梅', 'Ольга', 'Łukasz', 'José', '山田']
const PHRASES = [
  '订单已创建，等待付款',
  '支付失败：余额不足 😕',
  'Заказ отправлен со склада 📦',
  'Ошибка соединения с базой данных',
  'Größe der Warteschlange überschritten ⚠️',
  '在庫が不足しています',
]

/** Characters of two, three and four bytes, in values only. */
export const nonAscii: LineShape = {
  name: 'non-ascii',
  summary: 'JSON with Chinese, Cyrillic and emoji in its values, unescaped',
  isJson: true,
  meanBytes: { least: 265, most: 290 },
  lines:
    ({ seed, startMs }) =>
    number => {
      const draw = drawFor(seed, number)
      const { level, status } = outcomeOf(draw)
      const timestamp = timeOf(startMs, number)
      const members = {
        ts: new Date(timestamp).toISOString(),
        level,
        service: draw.pick(['商店', 'склад', 'kasse']),
        city: draw.pick(CITIES),
        customer: draw.pick(PEOPLE),
        status,
        amount: draw.below(1e6) / 100,
        trace_id: draw.hex(16),
        msg: `${draw.pick(PHRASES)} №${draw.below(1e6)} → ${draw.pick(PHRASES)}`,
      }
      return { line: JSON.stringify(members), app: members.service, level, timestamp }
    },
}
