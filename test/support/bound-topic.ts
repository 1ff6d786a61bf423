import type { Topic } from '../../engine/log/log.ts'

/** A topic with its methods as own members, so that a test can replace some of them. */
export function boundTo(topic: Topic): Topic {
  return {
    name: topic.name,
    logId: topic.logId,
    partitions: topic.partitions,
    append: (...given) => topic.append(...given),
    read: (...given) => topic.read(...given),
    bounds: (...given) => topic.bounds(...given),
    waitBeyond: (...given) => topic.waitBeyond(...given),
    trim: (...given) => topic.trim(...given),
    offsetAtTime: (...given) => topic.offsetAtTime(...given),
  }
}
