;;; Plays the scene of test_real_editors.py in an Emacs that has read the configuration of docs/editors.md.
;;; Takes CONFIGURATION, PROJECT and TRANSCRIPT from the environment.

(require 'cl-lib)
(require 'json)
(require 'package)

;; Where Debian puts eglot, which is part of Emacs only from 29 on; -Q leaves the folder out.
(when (file-directory-p "/usr/share/emacs/site-lisp/elpa")
  (add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa"))
(package-initialize)

(defvar transcript '())

(defun note (key value)
  (push (cons key value) transcript))

(defun wait-for (what is-there)
  (let ((deadline (+ (float-time) 60)))
    (while (not (funcall is-there))
      (when (< deadline (float-time))
        (error "never came: %s" what))
      (accept-process-output nil 0.05))))

(defun open-managed (name)
  "Open a file of the project as a user does, and wait until the server manages it."
  (find-file (expand-file-name (concat "review/" name) (getenv "PROJECT")))
  (run-hooks 'post-command-hook)
  (wait-for "a server" #'eglot-managed-p)
  (current-buffer))

(defun send-changes (buffer)
  "Do what an Emacs with a user does after half a second without a key; a batch is never idle."
  (with-current-buffer buffer
    (eglot--signal-textDocument/didChange)))

(defun faults ()
  (flymake-start)
  (sort (flymake-diagnostics)
        (lambda (one other) (< (flymake-diagnostic-beg one) (flymake-diagnostic-beg other)))))

(defun shown (fault)
  (save-excursion
    (goto-char (flymake-diagnostic-beg fault))
    `((line . ,(line-number-at-pos))
      (column . ,(1+ (- (point) (line-beginning-position))))
      (text . ,(flymake-diagnostic-text fault)))))

(defun choose-first (_prompt choices &rest _)
  (note 'offered (vconcat (mapcar #'car choices)))
  (caar choices))

(defun play ()
  (let ((workflow (open-managed "workflow.py"))
        agents)
    (note 'root (directory-file-name (expand-file-name (project-root (project-current)))))
    (search-forward "state=ReviewState")
    (delete-region (line-beginning-position) (1+ (line-end-position)))
    (send-changes workflow)

    (setq agents (open-managed "agents.py"))
    (wait-for "the faults" (lambda () (= 2 (length (faults)))))
    (note 'broken (vconcat (mapcar #'shown (faults))))

    (goto-char (flymake-diagnostic-beg (car (faults))))
    ;; A key, not the mouse, has asked for the actions.
    (setq last-nonmenu-event ?\r)
    (cl-letf (((symbol-function 'completing-read) #'choose-first))
      (call-interactively #'eglot-code-actions))
    (send-changes workflow)
    (with-current-buffer agents
      (wait-for "the end of the faults" (lambda () (null (faults)))))
    (with-current-buffer workflow
      (note 'fixed (buffer-substring-no-properties (point-min) (point-max))))))

(condition-case failure
    (progn
      (load (getenv "CONFIGURATION") nil t)
      (play))
  (error (note 'failure (error-message-string failure))))
(note 'editor (format "Emacs %d" emacs-major-version))
(with-temp-file (getenv "TRANSCRIPT")
  (insert (json-encode transcript)))
(ignore-errors (eglot-shutdown-all))
