import * as z from "zod";

/** Selects a page of a list, and its size. */
export const pageQuery = z
  .strictObject({
    page_size: z.int().min(1).max(100).describe("The largest number of tests to answer."),
    page_token: z
      .string()
      .max(200)
      .default("")
      .describe("The token of another page of this list, with the same page_size. Default: the first page."),
  })
  .describe("The page to answer.");

const token = z.string().describe("Empty if there is no such page.");

/** The paging fields of an answer. */
export const pageAnswer = z.object({
  total_rows: z.int().min(0).describe("The number of tests in the list now."),
  total_pages: z.int().min(0).describe("0 if the list is empty."),
  page_index: z.int().min(0).describe("The position of the page in the list now, from 0."),
  next_page_token: token,
  prev_page_token: token,
  last_page_token: token,
});
