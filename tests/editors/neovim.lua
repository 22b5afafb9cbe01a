-- Plays the scene of test_real_editors.py in a Neovim that has read the configuration of docs/editors.md.
-- Takes PROJECT and TRANSCRIPT from the environment. Any Neovim from 0.7 on can play it.

local project, transcript = vim.env.PROJECT, {}
local PATIENCE = 60000

local function wait_for(what, is_there)
  if not vim.wait(PATIENCE, is_there, 20) then
    error("never came: " .. what)
  end
end

local function shown(buffer)
  local found = vim.tbl_map(function(one)
    return { line = one.lnum + 1, column = one.col + 1, code = one.code, message = one.message, source = one.source }
  end, vim.diagnostic.get(buffer))
  table.sort(found, function(one, other) return one.line < other.line end)
  return found
end

local function text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n") .. "\n"
end

local function open(name)
  vim.cmd("edit " .. project .. "/review/" .. name)
  return vim.api.nvim_get_current_buf()
end

local function attached(buffer)
  local clients = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = buffer }) or vim.lsp.buf_get_clients(buffer)
  local _, client = next(clients)
  return client
end

-- So that the workflow can be left without saving it.
vim.o.hidden = true

vim.ui.select = function(items, options, choose)
  transcript.offered = vim.tbl_map(options.format_item, items)
  choose(items[1], 1)
end

local function play()
  local workflow = open("workflow.py")
  wait_for("a server", function() return attached(workflow) and attached(workflow).initialized ~= false end)
  transcript.encoding = attached(workflow).offset_encoding
  transcript.pulls = attached(workflow).server_capabilities.diagnosticProvider ~= nil
  transcript.root = attached(workflow).config.root_dir
  vim.fn.search("state=ReviewState")
  vim.cmd("delete")

  local agents = open("agents.py")
  wait_for("the faults", function() return #vim.diagnostic.get(agents) == 2 end)
  transcript.broken = shown(agents)

  vim.api.nvim_win_set_cursor(0, { transcript.broken[1].line, transcript.broken[1].column - 1 })
  vim.lsp.buf.code_action()
  wait_for("the fix", function() return text(workflow):find("ReviewState,", 1, true) ~= nil end)
  wait_for("the end of the faults", function() return #vim.diagnostic.get(agents) == 0 end)
  transcript.fixed = text(workflow)
end

local ok, failure = pcall(play)
if not ok then
  transcript.failure = tostring(failure)
end
local version = vim.version()
transcript.editor = string.format("Neovim %d.%d", version.major, version.minor)
vim.fn.writefile({ vim.fn.json_encode(transcript) }, vim.env.TRANSCRIPT)
vim.cmd("qall!")
